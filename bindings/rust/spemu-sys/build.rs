// SPDX-License-Identifier: MIT
//! Find the libraries in the folder SPEMU_LIB_DIR, or with pkg-config.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=SPEMU_LIB_DIR");
    println!("cargo:rustc-link-lib=dylib=spemu");
    println!("cargo:rustc-link-lib=dylib=spemu-trace");
    if let Ok(folder) = env::var("SPEMU_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", folder);
        return;
    }
    let answer = Command::new("pkg-config").args(["--libs-only-L", "spemu >= 0.9", "spemu-trace >= 0.9"]).output();
    match answer {
        Ok(out) if out.status.success() => {
            for word in String::from_utf8_lossy(&out.stdout).split_whitespace() {
                println!("cargo:rustc-link-search=native={}", &word[2..]);
            }
        }
        _ => panic!("pkg-config does not find spemu and spemu-trace; install libspemu-dev, or name its folder in SPEMU_LIB_DIR"),
    }
}

# SPDX-License-Identifier: MIT
"""Drive a headless Chromium through chromedriver, with the WebDriver protocol (W3C). The page tests
use it."""
import atexit
import base64
import json
import shutil
import subprocess
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's identifier in replies of the protocol
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--disable-background-networking", "--no-first-run"]
# The contrast of text with its background, by the formula of WCAG 2 (relative luminance). Level AA
# requires 4.5.
CONTRAST = '''
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgb(text) {
	canvas.clearRect(0, 0, 1, 1);
	canvas.fillStyle = text;
	canvas.fillRect(0, 0, 1, 1);
	return [...canvas.getImageData(0, 0, 1, 1).data];
}
function luminance(c) {
	const [r, g, b] = c.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ground(e) {
	for (; e; e = e.parentElement) {
		const c = rgb(getComputedStyle(e).backgroundColor);
		if (c[3] === 255) return c;
	}
	return [255, 255, 255, 255];
}
const worst = [];
for (const e of document.querySelectorAll(arguments[0])) {
	if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.disabled) continue;
	const a = luminance(rgb(getComputedStyle(e).color)), b = luminance(ground(e));
	const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	if (ratio < 4.5) worst.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
}
return worst;
'''


def missing():
    """Return the name of the first program that is not installed, or None."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return program
    return None


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        atexit.register(self.close)
        for line in self.process.stdout:
            if "successfully on port" in line:
                self.base = f"http://127.0.0.1:{int(line.split()[-1].rstrip('.'))}"
                break
        options = {"binary": shutil.which("chromium"), "args": ARGUMENTS}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def send(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        if self.process.poll() is None:
            try:
                self.send("DELETE", "")
            except (OSError, RuntimeError):
                pass
            self.process.terminate()
            self.process.wait()

    def command(self, name, **parameters):
        """Send a command of the DevTools protocol and return its result."""
        return self.send("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width, height, theme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, url):
        self.send("POST", "/url", {"url": "about:blank"})
        self.send("POST", "/url", {"url": url})

    def run(self, script, *args):
        """Run the body of a JavaScript function in the page and return its result."""
        return self.send("POST", "/execute/sync", {"script": script, "args": list(args)})

    def contrast(self, selector):
        """Return the elements whose text has too little contrast, one per line."""
        return self.run(CONTRAST, selector)

    def scrolling(self):
        """Return the elements that can be scrolled to the right, one per line."""
        return self.run("return [...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1"
                        " && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e =>"
                        " `${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}`);")

    def settle(self):
        """Wait until the page has drawn all changes."""
        self.send("POST", "/execute/async", {"args": [], "script":
                  "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"})

    def find(self, selector):
        return self.send("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.send("POST", f"/element/{self.find(selector)}/click", {})
        self.settle()

    def keys(self, *keys):
        """Press keys one after the other. They go to the element that has the focus."""
        actions = []
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                actions.append({"type": kind, "value": KEYS.get(key, key)})
        self.send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})
        self.settle()

    def drag(self, points):
        """Drag with the mouse from the first of these window coordinates to the last."""
        move = [{"type": "pointerMove", "duration": 20, "x": round(x), "y": round(y)} for x, y in points]
        actions = [move[0], {"type": "pointerDown", "button": 0}, *move[1:], {"type": "pointerUp", "button": 0}]
        self.send("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})
        self.settle()

    def log(self, kind):
        return self.send("POST", "/se/log", {"type": kind})

    def requests(self):
        """Return the addresses that pages requested since the last call."""
        messages = (json.loads(entry["message"])["message"] for entry in self.log("performance"))
        return {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("GET", "/screenshot")))

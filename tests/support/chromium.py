# SPDX-License-Identifier: MIT
"""Provides pages in a headless Chromium, through the pipe of its DevTools protocol (no package is needed): what goes wrong on a page, what it loads, scripts and pictures.

  with Browser(program) as browser:
      page = browser.open(path, width=360, dark=True)
      page.evaluate('document.title'), page.press('ArrowRight'), page.screenshot('x.png'), page.faults, page.requests
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
TIMEOUT_S = 60


def find():
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix='gannet-chromium-')
        to_child, self.to = os.pipe()
        self.back, from_child = os.pipe()
        words = [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
                 '--disable-background-networking', '--disable-component-update', f'--user-data-dir={self.folder}', '--remote-debugging-pipe', 'about:blank']

        def arrange():  # Chromium reads commands from 3 and answers on 4
            ends = os.dup(to_child), os.dup(from_child)
            for end, number in zip((os.dup2(ends[0], 10), os.dup2(ends[1], 11)), (3, 4)):
                os.dup2(end, number)

        self.process = subprocess.Popen(words, preexec_fn=arrange, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, 'HOME': self.folder})
        os.close(to_child)
        os.close(from_child)
        self.text = b''
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, until):
        while b'\0' not in self.text:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError('Chromium does not answer')
            part = os.read(self.back, 1 << 16)
            if not part:
                raise RuntimeError('Chromium has ended')
            self.text += part
        one, self.text = self.text.split(b'\0', 1)
        return json.loads(one)

    def send(self, method, session=None, **parameters):
        """The answer; events that come before it are kept."""
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': parameters, **({'sessionId': session} if session else {})}
        os.write(self.to, json.dumps(command).encode() + b'\0')
        until = time.monotonic() + TIMEOUT_S
        while True:
            found = self.message(until)
            if found.get('id') == self.number:
                if 'error' in found:
                    raise RuntimeError(f'{method}: {found["error"]}')
                return found['result']
            self.events.append(found)

    def wait_for(self, method, session):
        until = time.monotonic() + TIMEOUT_S
        while not any(event.get('method') == method and event.get('sessionId') == session for event in self.events):
            self.events.append(self.message(until))

    def open(self, path, width=1280, height=900, dark=False, printed=False):
        target = self.send('Target.createTarget', url='about:blank')['targetId']
        return Page(self, self.send('Target.attachToTarget', targetId=target, flatten=True)['sessionId'], path, width, height, dark, printed)


class Page:
    def __init__(self, browser, session, path, width, height, dark, printed):
        self.browser, self.session = browser, session
        self.width = width
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.send('Emulation.setEmulatedMedia', media='print' if printed else '',
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.send('Page.navigate', url=pathlib.Path(path).resolve().as_uri())
        browser.wait_for('Page.loadEventFired', session)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def evaluate(self, script):
        found = self.send('Runtime.evaluate', expression=script, returnByValue=True)
        if 'exceptionDetails' in found:
            raise RuntimeError(f'{script}: {found["exceptionDetails"]}')
        return found['result'].get('value')

    def press(self, key):
        for kind in ('keyDown', 'keyUp'):
            self.send('Input.dispatchKeyEvent', type=kind, key=key, code=key, windowsVirtualKeyCode={'Tab': 9}.get(key, 0))

    def screenshot(self, path, whole=False, scale=1):
        """The window, or the whole page."""
        size = self.send('Page.getLayoutMetrics')['cssContentSize']
        shape = {'clip': {'x': 0, 'y': 0, 'width': self.width, 'height': size['height'], 'scale': scale}, 'captureBeyondViewport': True} if whole else {}
        data = self.send('Page.captureScreenshot', format='png', **shape)['data']
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def mine(self, *methods):
        return [event['params'] for event in self.browser.events if event.get('sessionId') == self.session and event.get('method') in methods]

    @property
    def faults(self):
        """Errors and warnings of the console, exceptions of scripts."""
        self.evaluate('0')  # what happened before is told before this is answered
        return ([entry['entry'] for entry in self.mine('Log.entryAdded')] + self.mine('Runtime.exceptionThrown') +
                [call for call in self.mine('Runtime.consoleAPICalled') if call['type'] in ('error', 'warning', 'assert')])

    @property
    def requests(self):
        return [event['request']['url'] for event in self.mine('Network.requestWillBeSent')]

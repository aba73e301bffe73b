// Terminals in a tmux of their own, and what their screens show.
import {execFileSync} from 'node:child_process';

const limit = 60_000;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Tmux {
  #name = `helve-test-${process.pid}`;
  #count = 0;

  #run(...words) {
    return execFileSync('tmux', ['-L', this.#name, '-f', '/dev/null', ...words],
      {encoding: 'utf8', env: {PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8', TERM: 'xterm-256color'},
       stdio: ['ignore', 'pipe', 'pipe']});
  }

  // A window of its own size for the command; its screen stays when the command has ended.
  start({columns = 80, rows = 30, environment, command}) {
    const session = `t${++this.#count}`;
    // Not by tmux's -e, which does not set TERM.
    const words = ['env', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...command];
    this.#run('new-session', '-d', '-s', session, '-x', `${columns}`, '-y', `${rows}`,
      `${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}; echo "(ended with $?)"; sleep 600`);
    this.#run('set-option', '-t', session, 'status', 'off');
    this.#run('set-option', '-s', 'escape-time', '0');
    return new Terminal((...words) => this.#run(...words), session);
  }

  stop() {
    try { this.#run('kill-server'); } catch { /* there was none */ }
  }
}

class Terminal {
  #run;
  #session;
  constructor(run, session) {
    this.#run = run;
    this.#session = session;
  }

  // Text as it is typed.
  type(text) { this.#run('send-keys', '-t', this.#session, '-l', '--', text); }
  // A card that follows another one does not take a key at once.
  async decide(key) {
    await pause(500);
    this.press(key);
  }
  async say(line, answer) {
    this.type(line);
    this.press('Enter');
    await this.shows(answer);
  }
  // Names as tmux has them: Enter, Escape, C-c, Up, M-b.
  press(...keys) { this.#run('send-keys', '-t', this.#session, ...keys); }
  paste(text) {
    this.#run('set-buffer', '--', text);
    this.#run('paste-buffer', '-p', '-t', this.#session);
  }
  resize(columns, rows) { this.#run('resize-window', '-t', this.#session, '-x', `${columns}`, '-y', `${rows}`); }
  screen({styles = false, all = false} = {}) {
    return this.#run('capture-pane', '-p', ...(styles ? ['-e'] : []), ...(all ? ['-S', '-'] : []), '-t', this.#session);
  }
  end() { this.#run('kill-session', '-t', this.#session); }

  // Polls until the screen is as it should be.
  async until(what, holds, options) {
    const begun = Date.now();
    for (;;) {
      const screen = this.screen(options);
      if (holds(screen)) return screen;
      if (Date.now() - begun > limit) throw new Error(`waited too long for ${what}; the screen is:\n${screen}`);
      await pause(30);
    }
  }
  shows(text, options) { return this.until(JSON.stringify(text), (screen) => screen.includes(text), options); }
  // The end of the model's turn.
  says(text) {
    return this.until(`the answer ${text}`, (screen) => screen.includes(text) && !screen.includes('Working,'));
  }
  card(text) { return this.until(`the card of ${text}`, (screen) => screen.includes(text) && screen.includes('[y]es')); }
  // The same for some time: nothing is drawn any more.
  async settled(normalised) {
    let last = '';
    let same = 0;
    return this.until('a screen that stays', (shown) => {
      const screen = normalised(shown);
      same = screen === last ? same + 1 : 0;
      last = screen;
      return same >= 15;
    });
  }
}

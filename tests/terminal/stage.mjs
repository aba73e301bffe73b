// `helve agent` in the terminals of a tmux, with a scripted model. Each has its own home and workspace.
import fs from 'node:fs';
import path from 'node:path';
import {startModel} from './model.mjs';
import {Tmux} from './tmux.mjs';

export class Stage {
  // In /tmp, even if TMPDIR is set: rows wrap by the length of the paths they show.
  #directory = fs.mkdtempSync('/tmp/helve-terminal-');
  #tmux = new Tmux();
  #count = 0;
  #program;

  constructor(program, model) {
    this.#program = path.resolve(program);
    this.model = model;
  }
  static async open(program) { return new Stage(program, await startModel()); }

  get home() { return path.join(this.#directory, `h${this.#count}`); }
  get workspace() { return path.join(this.#directory, `w${this.#count}`); }
  file(name) { return path.join(this.workspace, name); }

  // `same` keeps the home and the workspace of the terminal before.
  start({columns, rows, environment = {}, words = [], mode = 'ask', model = 'test-model', same = false} = {}) {
    if (!same) {
      ++this.#count;
      fs.mkdirSync(this.workspace);
    }
    return this.#tmux.start({
      columns, rows,
      environment: {HOME: this.home, XDG_STATE_HOME: path.join(this.home, 'state'), XDG_DATA_HOME: path.join(this.home, 'data'),
        XDG_CONFIG_HOME: path.join(this.home, 'config'), PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...environment},
      command: [this.#program, 'agent', '--workspace', this.workspace, '--mode', mode, '--set', 'model.provider=openai',
        '--set', `model.base_url=${this.model.url}`, '--model', model, '--set', 'model.context_window=128000', ...words]});
  }

  // Replaces the path, the times and the durations, which differ from run to run.
  steady(text, {workspace, time, duration}) {
    return text.replaceAll(this.workspace, workspace).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, time)
      .replace(/\b\d+(\.\d+)? (s|ms)\b/g, duration);
  }

  close() {
    this.#tmux.stop();
    this.model.stop();
    // Helve may still be writing.
    fs.rmSync(this.#directory, {recursive: true, force: true, maxRetries: 50, retryDelay: 100});
  }
}

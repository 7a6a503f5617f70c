/** A stream that commands write to; `isTTY` and `columns` are absent when it is a file or a pipe. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The process around a command: handed in, so that a test can be one. */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The whole of standard input as text; rejects when it can't be read or is no text. */
  readStdin(): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or a SIGTERM; the reason is an `Interrupted`. */
  readonly signal: AbortSignal;
}

/** Why everything was stopped. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signalName: 'SIGINT' | 'SIGTERM', exitCode: number) {
    super(signalName);
    this.exitCode = exitCode;
  }
}

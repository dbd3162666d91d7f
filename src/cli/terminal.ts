import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'

/** Returns whether a stream is an interactive terminal. */
export function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}

/** Prompts for a secret without echo. */
export async function readSecret(
  question: string,
  input: Readable,
  output: Writable,
): Promise<string> {
  const discardedOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: discardedOutput, terminal: true })
  output.write(`${question}: `)
  try {
    return await lines.question('')
  } finally {
    lines.close()
    output.write('\n')
  }
}

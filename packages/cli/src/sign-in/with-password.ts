import { text } from 'node:stream/consumers'
import { createClient, type Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

/** Signs in with email and password; the password is typed unseen, or comes from standard input. */
export async function signInWithPassword(
  url: string,
  email: string,
  terminal: Terminal,
  options: { passwordStdin: boolean },
): Promise<Output<'createSession'>> {
  const password = await askPassword(email, terminal, options)
  return await createClient({ baseUrl: url }).createSession({ body: { email, password } }, { signal: terminal.signal })
}

async function askPassword(email: string, terminal: Terminal, { passwordStdin }: { passwordStdin: boolean }) {
  // A line end that `echo` adds is none of it.
  if (passwordStdin) return (await text(terminal.stdin)).replace(/\r?\n$/, '')
  if (terminal.interactive) return await terminal.ask.password(`Password of ${email}`)
  throw new UsageError('This is not a terminal. Pass the password on standard input with --password-stdin.')
}

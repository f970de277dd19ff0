import { text } from 'node:stream/consumers'
import { createClient, MortiseProblem, type Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Signs in with email and password; the password is typed unseen, or comes from standard input. Asks for a code if the
 * account has a second factor.
 */
export async function signInWithPassword(
  url: string,
  email: string,
  terminal: Terminal,
  options: { passwordStdin: boolean; code?: string | undefined },
): Promise<Output<'createSession'>> {
  const password = await askPassword(email, terminal, options)
  const mortise = createClient({ baseUrl: url })
  const signIn = (code: string | undefined) =>
    mortise.createSession(
      { body: { email, password, ...(code !== undefined && { code }) } },
      { signal: terminal.signal },
    )
  try {
    return await signIn(options.code)
  } catch (error) {
    if (!(error instanceof MortiseProblem && error.code === 'second-factor-required')) throw error
    return await signIn(await askCode(terminal))
  }
}

async function askCode(terminal: Terminal): Promise<string> {
  if (!terminal.interactive)
    throw new UsageError('The account has a second factor. Pass the code of your app, or a recovery code, with --code.')
  return await terminal.ask.text('Code of your authenticator app, or a recovery code')
}

async function askPassword(email: string, terminal: Terminal, { passwordStdin }: { passwordStdin: boolean }) {
  // A line end that `echo` adds is none of it.
  if (passwordStdin) return (await text(terminal.stdin)).replace(/\r?\n$/, '')
  if (terminal.interactive) return await terminal.ask.password(`Password of ${email}`)
  throw new UsageError('This is not a terminal. Pass the password on standard input with --password-stdin.')
}

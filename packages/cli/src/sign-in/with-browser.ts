import { createHash, randomBytes } from 'node:crypto'
import { createClient, type Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'
import { waitForCallback } from './loopback-callback.ts'

const waitMs = 10 * 60_000

/** Signs in by the browser of this computer: it brings a code, which only this process can exchange (RFC 7636). */
export async function signInWithBrowser(
  url: string,
  { browse, stderr, signal }: Terminal,
  options: { openBrowser: boolean },
): Promise<Output<'exchangeSignInCode'>> {
  // A code works once: an attempt whose answer was lost cannot be made again.
  const mortise = createClient({ baseUrl: url, retries: 0 })
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const state = randomBytes(32).toString('base64url')
  const timeout = AbortSignal.timeout(waitMs)
  const callback = await waitForCallback(state, AbortSignal.any([signal, timeout]))
  const page = `${url}/signin/cli?${new URLSearchParams({ port: String(callback.port), challenge, state })}`
  let message = 'The sign-in failed. Your terminal shows why; you can close this window.'
  try {
    if (options.openBrowser) {
      stderr.write(`Sign in with your browser. If it does not open, open this address:\n${page}\n`)
      await browse(page).catch(() => {})
    } else stderr.write(`Open this page in a browser of this computer:\n${page}\n`)
    const code = await callback.code.catch((error: unknown) => {
      if (timeout.aborted && !signal.aborted)
        throw new Error('You did not sign in within ten minutes. Run `mortise login` again.')
      throw error
    })
    const tokens = await mortise.exchangeSignInCode({ body: { code, verifier } }, { signal })
    message = 'You are signed in, and can close this window.'
    return tokens
  } finally {
    await callback.finish(message)
  }
}

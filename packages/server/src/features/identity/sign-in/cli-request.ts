import { challengePattern } from './cli-code.ts'
import { messagePage, type Page } from './pages/page.ts'

/**
 * What a command line asks with: where it waits on this computer, its challenge (RFC 7636), and what it knows its
 * request by.
 */
export interface CliRequest {
  port: number
  challenge: string
  state: string
}

/** Undefined unless all of it is as a command line makes it. */
export function readCliRequest(parameter: (name: string) => string | null | undefined): CliRequest | undefined {
  const [port, challenge, state] = ['port', 'challenge', 'state'].map((name) => parameter(name) ?? '') as [
    string,
    string,
    string,
  ]
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) return undefined
  if (!new RegExp(challengePattern).test(challenge) || !/^[A-Za-z0-9._~-]{8,200}$/.test(state)) return undefined
  return { port: Number(port), challenge, state }
}

/** The command line waits on the loopback address, by number: a name could lead elsewhere (RFC 8252, 7.3 and 8.3). */
export function cliAddress({ port }: Pick<CliRequest, 'port'>): string {
  return `127.0.0.1:${port}`
}

export function noCliRequest(): Page {
  return messagePage(
    'This sign-in link is not valid',
    'It is incomplete or was changed. Run the command again and use the link that it shows.',
    { status: 400 },
  )
}

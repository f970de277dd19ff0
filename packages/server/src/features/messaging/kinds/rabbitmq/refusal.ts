import type { SendResult } from '../kind.ts'

/** What a person can correct, by the code of the reply (AMQP 0-9-1, section 1.2); others are shown by their code. */
const reasons: Record<string, string> = {
  404: 'has no such exchange (NOT_FOUND)',
  530: 'has no such virtual host, or does not permit this user to use it (NOT_ALLOWED)',
  320: 'closed the connection (CONNECTION_FORCED)',
  506: 'has no resources left (RESOURCE_ERROR)',
}
/** In the handshake, and afterwards. */
const notLoggedIn = 'refused the user name or password (ACCESS_REFUSED)'
const notPermitted = 'does not permit this user to publish to the exchange (ACCESS_REFUSED)'

/**
 * What it means for a message that the server closed the channel or the connection. Somebody can correct each reason.
 *
 * @param shown host and port
 */
export function refusalOf(error: Error | undefined, shown: string): SendResult {
  const text = error?.message ?? ''
  const code = codeOf(error)
  const isLogin = /Login was refused|login refused|Handshake terminated/i.test(text)
  const reason = code === '403' ? (isLogin ? notLoggedIn : notPermitted) : reasons[code]
  return {
    outcome: 'retry',
    error: `${shown} ${reason ?? `closed the connection with the code ${code}`}.`,
    response: Buffer.from(replyText(text)),
  }
}

/** The maximum size of a message that a server named when it refused a larger one. */
export function sizeMaxOf(error: Error): number | undefined {
  const [, size] =
    /message size \d{1,15} is larger than (?:configured )?max(?:imum)? size (\d{1,15})/.exec(error.message) ?? []
  return size === undefined ? undefined : Number(size)
}

function codeOf(error: Error | undefined): string {
  if (error && 'code' in error && typeof error.code === 'number') return String(error.code)
  const text = error?.message ?? ''
  // Of the last step of the handshake, the client says no code. Only the virtual host is refused there.
  if (text.startsWith('Expected ConnectionOpenOk; got <ConnectionClose ')) return '530'
  return /: (\d{3}) \(/.exec(text)?.[1] ?? 'unknown'
}

/** What the server said, without what the client says about it. */
function replyText(text: string): string {
  const begin = 'with message "'
  const at = text.indexOf(begin)
  return at >= 0 && text.endsWith('"') ? text.slice(at + begin.length, -1) : text
}

import { OutboundError } from '../../../../kernel/net/index.ts'
import type { SendResult } from '../kind.ts'

/** The message is larger than the server accepts (RFC 5321, section 4.2.3; RFC 1870). */
const tooLarge = 552

/**
 * What an error of the SMTP client means for the messages of a mail. What the server refused can be corrected in the
 * settings or there, except the size of a mail.
 *
 * @param shown host and port
 * @throws OutboundError if the server gave no answer, and anything that is not an error of the client
 */
export function refusalOf(error: unknown, shown: string): SendResult {
  if (!(error instanceof Error) || !('code' in error)) throw error
  const { code } = error
  const answer = 'response' in error && typeof error.response === 'string' ? error.response : ''
  const status = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined
  // Without TLS, nothing was sent, whatever the server answered.
  if (status === undefined || code === 'ETLS') throw unanswered(error, shown)
  const said = `(${status})`
  const reason =
    code === 'EAUTH'
      ? 'refused the user name or password'
      : code === 'EENVELOPE'
        ? 'refused the sender or all recipients'
        : status === tooLarge
          ? 'does not accept mails of this size'
          : 'did not take the mail'
  return {
    outcome: status === tooLarge && code !== 'EAUTH' ? 'refused' : 'retry',
    error: `${shown} ${reason} ${said}.`,
    response: Buffer.from(answer),
  }
}

function unanswered(cause: Error & { code?: unknown }, shown: string): OutboundError {
  const { code, message } = cause
  if (code === 'ETLS' || /certificate|altnames|TLS|SSL/i.test(message))
    return new OutboundError('tls', `No secure connection to ${shown} could be made.`, { cause })
  if (code === 'ETIMEDOUT') return new OutboundError('timeout', `${shown} did not answer in time.`, { cause })
  if (code === 'EAUTH') return new OutboundError('protocol', `${shown} offers no way to log in.`, { cause })
  if (code === 'EPROTOCOL')
    return new OutboundError('protocol', `${shown} does not answer like an SMTP server.`, { cause })
  return new OutboundError('connect', `${shown} closed the connection.`, { cause })
}

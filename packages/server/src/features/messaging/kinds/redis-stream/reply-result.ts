import type { OutboundError } from '../../../../kernel/net/index.ts'
import type { SendResult } from '../kind.ts'
import type { Reply } from './redis-connection.ts'

const entryId = /^\d{1,20}-\d{1,20}$/
/** The server, as it is configured, never takes a value of this size. Any other error can be corrected there. */
const tooLarge = /invalid bulk length|exceeds maximum allowed|too (?:big|large|long)/i

/** What a person can correct; other errors are shown by their code. */
const reasons: Record<string, string> = {
  NOAUTH: 'wants a user name and password',
  WRONGPASS: 'refused the user name or password',
  NOPERM: 'does not permit this user to append to the stream',
  WRONGTYPE: 'has a key of this name that is not a stream',
  OOM: 'is out of memory',
  READONLY: 'is a read-only replica',
  MISCONF: 'cannot store its data on disk, and takes no writes',
  LOADING: 'is loading its data',
  MOVED: 'is a cluster, which this type does not support',
}

/**
 * What a reply says about a message. Only the id of an entry delivers it.
 *
 * @param shown host and port
 * @param ended why the connection ended, if it did: commands without a reply were not confirmed
 */
export function resultOf(reply: Reply | undefined, shown: string, ended: OutboundError | undefined): SendResult {
  if (reply && 'value' in reply) {
    if (typeof reply.value === 'string' && entryId.test(reply.value))
      return { outcome: 'delivered', response: Buffer.from(reply.value) }
    return { outcome: 'retry', error: `${shown} did not answer with the id of an entry.` }
  }
  if (reply?.error.name === 'ReplyError') return refusalOf(reply.error.message, shown)
  const error = ended?.message ?? `${shown} closed the connection.`
  return { outcome: ended?.kind === 'aborted' ? 'cancelled' : 'retry', error }
}

function refusalOf(text: string, shown: string): SendResult {
  const code = /^[A-Z]{1,40}/.exec(text)?.[0] ?? 'ERR'
  const response = Buffer.from(text)
  if (code === 'ERR' && tooLarge.test(text))
    return { outcome: 'refused', error: `${shown} does not accept messages of this size.`, response }
  const reason = reasons[code]
  return {
    outcome: 'retry',
    error: reason === undefined ? `${shown} answered with the error ${code}.` : `${shown} ${reason} (${code}).`,
    response,
  }
}

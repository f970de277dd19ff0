import { connect, isIP, type Socket } from 'node:net'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { guardedLookup } from './guarded-agent.ts'
import type { Names } from './names/name-resolver.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { UrlRefused } from './url-rules.ts'

/** A host that the operator names in a setting. */
export interface OperatorHost {
  host: string
  port: number
  names: Pick<Names, 'lookup'>
  /** For resolving the name and connecting, in milliseconds. */
  timeoutMs: number
  /** Destroys the socket, also when it is connected. */
  signal: AbortSignal
}

/** Private networks are open to a host of the operator's own choice; link-local and metadata addresses never are. */
const operatorGuard = createAddressGuard({ allow: parseAllowedNetworks('0.0.0.0/0, ::/0') })
const judge = (address: string) => (operatorGuard.refused(address) ? 'address' : undefined)

/**
 * Opens a TCP connection for a protocol other than HTTP. Checks a literal address, every address of a name, and the
 * address of the connected socket. Only for hosts of the operator's settings: private networks are reachable without
 * MORTISE_ALLOW_PRIVATE_NETWORK.
 *
 * @throws OutboundError
 */
export async function openSocket({ host, port, names, timeoutMs, signal }: OperatorHost): Promise<Socket> {
  const shown = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  if (signal.aborted) throw new OutboundError('aborted', `The connection to ${shown} was canceled.`)
  if (isIP(host) !== 0 && judge(host) !== undefined) throw refused(shown)
  const socket = connect({ host, port, signal, autoSelectFamily: true, lookup: guardedLookup(names.lookup, judge) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = new OutboundError('timeout', `${shown} did not accept a connection in time.`)
  const timer = setTimeout(() => socket.destroy(late), timeoutMs)
  socket.once('connect', resolve)
  socket.on('error', reject)
  try {
    await promise
  } catch (error) {
    if (error instanceof UrlRefused) throw refused(shown)
    if (signal.aborted) throw new OutboundError('aborted', `The connection to ${shown} was canceled.`, { cause: error })
    throw asOutboundError(error, shown)
  } finally {
    clearTimeout(timer)
  }
  if (judge(socket.remoteAddress ?? '') === undefined) return socket
  socket.destroy()
  throw refused(shown)
}

function refused(shown: string): OutboundError {
  return new OutboundError(
    'refused_address',
    `${shown} is at a link-local or metadata address. Mortise never connects there: correct the setting.`,
  )
}

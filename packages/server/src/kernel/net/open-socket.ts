import type { Socket } from 'node:net'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { dial, shownHost } from './dial.ts'
import type { Names } from './names/name-resolver.ts'
import { OutboundError } from './outbound-error.ts'

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
const refusalOf = (address: string) => (operatorGuard.refused(address) ? 'address' : undefined)

/**
 * Opens a TCP connection for a protocol other than HTTP. Checks a literal address, every address of a name, and the
 * address of the connected socket. Only for hosts of the operator's settings: private networks are reachable without
 * MORTISE_ALLOW_PRIVATE_NETWORK.
 *
 * @throws OutboundError
 */
export function openSocket({ host, port, names, timeoutMs, signal }: OperatorHost): Promise<Socket> {
  const shown = shownHost(host, port)
  return dial({ host, port, lookup: names.lookup, timeoutMs, signal, refusalOf, refused: () => refused(shown) })
}

function refused(shown: string): OutboundError {
  return new OutboundError(
    'refused_address',
    `${shown} is at a link-local or metadata address. Mortise never connects there: correct the setting.`,
  )
}

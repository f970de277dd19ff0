import { errors } from 'undici'
import { UrlRefused } from './url-rules.ts'

/** What went wrong with a request that the service made. */
export type OutboundErrorKind =
  /** The URL or what its name resolves to may not be reached. */
  | 'refused_address'
  /** The name does not resolve. */
  | 'dns'
  /** Our own limit of simultaneous look-ups is reached: nothing was sent, and nothing is known about the host. */
  | 'busy'
  /** No connection, or it was closed before the answer was complete. */
  | 'connect'
  /** The one deadline for name, connection, headers and body passed. */
  | 'timeout'
  /** The certificate or the TLS handshake failed. */
  | 'tls'
  /** The answer's body is larger than the caller takes. */
  | 'too_large'
  /** The caller's signal fired, or `close()` was called. */
  | 'aborted'
  /** What was sent or answered is not proper HTTP, or not as it may be here (headers, redirects). */
  | 'protocol'

/**
 * A request that got no usable answer. `message` is one public sentence: it names host and port, never path, query,
 * userinfo, headers or resolved addresses. `cause` holds the rest, for the log.
 */
export class OutboundError extends Error {
  override name = 'OutboundError'
  readonly kind: OutboundErrorKind
  /** What a user can do about it, where there is something to do. */
  readonly remedy: string | undefined
  constructor(kind: OutboundErrorKind, message: string, options: { cause?: unknown; remedy?: string } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.kind = kind
    this.remedy = options.remedy
  }
}

const tlsCodes = /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/
const dnsCodes = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EBADRESP|EFORMERR)/
const protocolCodes = /^(?:UND_ERR_HEADERS_OVERFLOW|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|UND_ERR_RES|ERR_INVALID)/

/** What a failure of the client, the resolver or the TLS layer means. `host` is host and port, as the URL has them. */
export function asOutboundError(cause: unknown, host: string): OutboundError {
  if (cause instanceof OutboundError) return cause
  if (cause instanceof UrlRefused) {
    return new OutboundError('refused_address', cause.refusal.reason, { cause, remedy: cause.refusal.remedy })
  }
  if (cause instanceof errors.HTTPParserError) {
    // Its `data` is what the server sent, which is not for the log.
    return new OutboundError('protocol', `${host} answered with invalid HTTP.`, { cause: cause.message })
  }
  const code = codeOf(cause)
  if (code === 'MORTISE_RESOLVER_BUSY') {
    return new OutboundError('busy', `Too many DNS lookups; nothing was sent to ${host}.`, { cause })
  }
  if (code === 'ETIMEOUT') {
    return new OutboundError('dns', `The name servers did not resolve ${host} in time.`, { cause })
  }
  if (dnsCodes.test(code)) return new OutboundError('dns', `The host ${host} could not be found.`, { cause })
  if (tlsCodes.test(code)) return new OutboundError('tls', `No secure connection to ${host} could be made.`, { cause })
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new OutboundError('timeout', `${host} did not accept a connection in time.`, { cause })
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new OutboundError('timeout', `${host} did not answer in time.`, { cause })
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new OutboundError('protocol', `The request to ${host} is not valid HTTP.`, { cause })
  }
  if (protocolCodes.test(code)) return new OutboundError('protocol', `${host} answered with invalid HTTP.`, { cause })
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') {
    return new OutboundError('aborted', 'The service is stopping.', { cause })
  }
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') {
    return new OutboundError('connect', `The connection to ${host} broke before the answer was complete.`, { cause })
  }
  if (code === 'ECONNREFUSED')
    return new OutboundError('connect', `${host} refused the connection: nothing listens there.`, { cause })
  return new OutboundError('connect', `No connection to ${host} could be made.`, { cause })
}

function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError) return codeOf(cause.errors[0])
  if (typeof cause !== 'object' || cause === null) return ''
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  return 'cause' in cause && cause.cause !== cause ? codeOf(cause.cause) : ''
}

/**
 * Whether no request could ever get there: the address may not be reached, or there is no host of this name. Its owner
 * has to correct it.
 */
export function isAddressWrong({ kind, cause }: OutboundError): boolean {
  return kind === 'refused_address' || (kind === 'dns' && /^(?:ENOTFOUND|ENODATA|EBADNAME)$/.test(codeOf(cause)))
}

/** Codes of errors before anything of a request was sent. */
const unsentCodes = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/

/** Returns whether no byte of the request was sent: the host does not know of it. */
export function isUnsent({ kind, cause }: OutboundError): boolean {
  return ['refused_address', 'busy', 'dns', 'tls'].includes(kind) || unsentCodes.test(codeOf(cause))
}

export {
  type AddressGuard,
  type AllowedNetworks,
  AllowedNetworksInvalid,
  createAddressGuard,
  parseAllowedNetworks,
} from './address-guard.ts'
export { framingHeaders } from './framing-headers.ts'
export {
  createOutbound,
  type Outbound,
  type OutboundResponse,
  type OutboundSettings,
  type OutboundStream,
  type RequestOptions,
  type StreamOptions,
} from './outbound.ts'
export { OutboundError, type OutboundErrorKind } from './outbound-error.ts'
export {
  createOutboundRelay,
  type OutboundRelay,
  type RelayedRequest,
  type RelayFlow,
  type RelayReceiver,
  type RelaySettings,
} from './relay.ts'
export { assertHostValue, safeJoin, UnsafePath } from './safe-join.ts'
export { type HttpRule, type UrlRefusal, UrlRefused } from './url-rules.ts'

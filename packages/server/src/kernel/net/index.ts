export {
  type AddressGuard,
  type AllowedNetworks,
  AllowedNetworksInvalid,
  createAddressGuard,
  parseAllowedNetworks,
} from './address-guard.ts'
export { shownHost } from './dial.ts'
export { framingHeaders } from './framing-headers.ts'
export { parseDnsServers } from './names/dns-servers.ts'
export {
  createNameResolver,
  type NameResolver,
  type NameResolverOptions,
  type Names,
} from './names/name-resolver.ts'
export { NameUnresolved, ResolverBusy } from './names/resolver-busy.ts'
export { type GrpcSchema, type GrpcTarget, openGrpcClient } from './open-grpc-client.ts'
export { type GuardedDial, type GuardedHost, guardDial, openGuardedSocket, startTls } from './open-guarded-socket.ts'
export { type OperatorHost, openSocket } from './open-socket.ts'
export {
  createOutbound,
  type Outbound,
  type OutboundResponse,
  type OutboundSettings,
  type OutboundStream,
  type RequestOptions,
  type StreamOptions,
} from './outbound.ts'
export {
  asOutboundError,
  isAddressWrong,
  isUnsent,
  OutboundError,
  type OutboundErrorKind,
} from './outbound-error.ts'
export {
  createOutboundPassThrough,
  type FlowControl,
  type OutboundPassThrough,
  type PassThroughRequest,
  type PassThroughSettings,
  type ResponseReceiver,
} from './pass-through.ts'
export { assertHostValue, safeJoin, UnsafePath } from './safe-join.ts'
export { trustedAuthorities } from './trusted-authorities.ts'
export { createResolveTxt, type ResolveTxt, TxtLookupFailed } from './txt-records.ts'
export { bareHost, type HttpRule, type UrlRefusal, UrlRefused } from './url-rules.ts'

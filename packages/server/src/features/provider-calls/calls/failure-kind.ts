import { AppIncomplete, InvalidInputs, NoConnector, ProviderError } from '@mortise/providers'
import { Problem } from '../../../kernel/http/index.ts'
import {
  isAddressWrong,
  isUnsent,
  OutboundError,
  type OutboundErrorKind,
  UrlRefused,
} from '../../../kernel/net/index.ts'
import { CredentialRefused, CredentialUnavailable } from './credential-errors.ts'
import type { FailureKind } from './failure-table.ts'
import { RateLimitTimeout } from './rate-limit-timeout.ts'

/**
 * Returns the row of the table for an error of a request to a provider: of its answer, of the network, of the
 * credential, or of the connection. Whatever else was thrown is `internal`.
 */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof RateLimitTimeout) return 'permit_timeout'
  if (error instanceof ProviderError) return credentialKind(error.cause) ?? error.class
  if (error instanceof OutboundError) return outboundKind(error)
  if (error instanceof UrlRefused) return 'address_refused'
  if (error instanceof NoConnector) return 'no_connector'
  if (error instanceof InvalidInputs) return 'invalid_inputs'
  if (error instanceof Problem && error.declaration.code === 'connection-not-found') return 'connection_deleted'
  if (error instanceof Error && error.name === 'TimeoutError') return 'deadline'
  return credentialKind(error) ?? 'internal'
}

function credentialKind(error: unknown): FailureKind | undefined {
  if (error instanceof AppIncomplete) return 'app_incomplete'
  if (error instanceof CredentialRefused) return 'credential_refused'
  return error instanceof CredentialUnavailable ? 'credential_unavailable' : undefined
}

const kinds: Record<OutboundErrorKind, FailureKind> = {
  refused_address: 'address_refused',
  dns: 'name_unresolved',
  busy: 'names_busy',
  connect: 'connection_lost',
  timeout: 'answer_timeout',
  tls: 'tls',
  too_large: 'answer_too_large',
  aborted: 'canceled',
  protocol: 'invalid_http',
}

function outboundKind(error: OutboundError): FailureKind {
  const kind = kinds[error.kind]
  if (kind === 'name_unresolved' && isAddressWrong(error)) return 'name_unknown'
  if (kind === 'connection_lost' && isUnsent(error)) return 'unconnected'
  if (kind === 'answer_timeout' && isUnsent(error)) return 'connect_timeout'
  if (kind === 'canceled' && error.cause instanceof Error && error.cause.name === 'TimeoutError') return 'deadline'
  return kind
}

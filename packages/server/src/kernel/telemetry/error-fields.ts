/** Logged properties of an error: names of things, never their content. */
const loggedNames = [
  'code',
  'errno',
  'syscall',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'status',
  'statusCode',
]
const depthMax = 5

/** Errors of others: providers, token endpoints, networks. Their stacks are useless. */
const causedByOthers = new Set([
  'ProviderError',
  'OutboundError',
  'CredentialRefused',
  'CredentialUnavailable',
  'CustomAuthRefused',
  'CustomAuthUnavailable',
  'InvalidInputs',
  'NoConnector',
  'ProviderBusy',
  'TokenRefused',
  'TokenUnavailable',
])

/**
 * Returns an error as a log line shows it: type, message, a few plain properties, the cause, and the stack if the error
 * is ours. All else that a library attached stays out: the connection with its password, the request with its headers,
 * the row that failed.
 */
export function errorFields(error: unknown, depth = 0, isOurs = true): unknown {
  if (!(error instanceof Error)) return error
  const properties = error as unknown as Record<string, unknown>
  const hasStack = isOurs && !causedByOthers.has(error.name)
  const fields: Record<string, unknown> = { type: error.name, message: error.message }
  if (hasStack) fields['stack'] = error.stack
  for (const name of loggedNames) {
    const value = properties[name]
    if (typeof value === 'string' || typeof value === 'number') fields[name] = value
  }
  if (depth < depthMax) {
    if (error.cause instanceof Error) fields['cause'] = errorFields(error.cause, depth + 1, hasStack)
    if (error instanceof AggregateError)
      fields['errors'] = error.errors.slice(0, 10).map((one) => errorFields(one, depth + 1, hasStack))
  }
  return fields
}

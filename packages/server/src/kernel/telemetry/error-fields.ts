/** What of an error's own properties is told: names of things, never their content. */
const told = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'status', 'statusCode']
const depthMax = 5

/**
 * An error as a log line tells it: type, message, stack, a few plain properties, and what caused it. Whatever else a library hung on
 * it (the connection with its password, the request with its headers, the row that failed) stays out.
 */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const properties = error as unknown as Record<string, unknown>
  const fields: Record<string, unknown> = { type: error.name, message: error.message, stack: error.stack }
  for (const name of told) {
    const value = properties[name]
    if (typeof value === 'string' || typeof value === 'number') fields[name] = value
  }
  if (depth < depthMax) {
    if (error.cause instanceof Error) fields['cause'] = errorFields(error.cause, depth + 1)
    if (error instanceof AggregateError)
      fields['errors'] = error.errors.slice(0, 10).map((one) => errorFields(one, depth + 1))
  }
  return fields
}

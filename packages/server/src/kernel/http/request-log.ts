import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

type Factory = NonNullable<FastifyServerOptions['childLoggerFactory']>

/**
 * Creates the logger of a request on first use. Most requests log nothing, and a child logger with redaction costs as
 * much as building a small statement.
 */
export function requestLog(
  parent: FastifyBaseLogger,
  bindings: Parameters<Factory>[1],
  options: Parameters<Factory>[2],
): FastifyBaseLogger {
  let made: FastifyBaseLogger | undefined
  return new Proxy(parent, {
    get(target, name) {
      const value: unknown = Reflect.get(made ?? target, name)
      if (typeof value !== 'function') return value
      return (...values: unknown[]) => {
        const log = made ?? parent.child(bindings, options)
        made = log
        return Reflect.apply(Reflect.get(log, name), log, values)
      }
    },
  })
}

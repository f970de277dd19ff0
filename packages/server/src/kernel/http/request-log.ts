import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

/**
 * The log of a request, made when it is first written to: most requests write nothing, and a logger of their own, with
 * what it hides sought in its fields, takes as long as a small statement takes to build.
 */
export const requestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (parent, bindings, options) => {
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

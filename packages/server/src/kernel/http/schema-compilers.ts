import fastJsonStringify from 'fast-json-stringify'
import type { FastifyServerOptions } from 'fastify'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type Serializer = (value: object) => string

/**
 * How Fastify compiles schemas: a serializer with its first response, and no validators, because endpoints validate on
 * their own. Compiling every serializer took a third of a second of each start.
 */
export const compilersFactory: Factory = {
  buildSerializer: () => (route) => serializerOf(route.schema as object),
  buildValidator: () => () => {
    throw new Error('endpoints validate their input (validate.ts)')
  },
}

/** Returns a function that writes what a schema names as JSON, and nothing else. It is compiled with its first use. */
export function serializerOf(schema: object): Serializer {
  let compiled: Serializer | undefined
  return (value) => {
    compiled ??= fastJsonStringify(schema) as Serializer
    return compiled(value)
  }
}

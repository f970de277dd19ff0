import { Type } from 'typebox'
import { request } from './request.ts'
import { name, path, strict } from './vocabulary.ts'

export const lookedUp = 'Path of the value in the response.'

/** A request for a value that other requests need. */
export const Lookup = Type.Object(
  { name: name('Name of the variable.'), ...request, value: path(lookedUp) },
  { ...strict, description: 'A value to request first.' },
)

/** The same, with a variable that makes the request unnecessary. */
export const LookupUnless = Type.Object(
  {
    ...Lookup.properties,
    unless: Type.Optional(
      name('A variable, such as `record.version` or one under `set`. If it has a value, Mortise sends no request.'),
    ),
  },
  { ...strict, description: 'A value to request first.' },
)

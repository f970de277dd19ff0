import { type Static, Type } from 'typebox'
import { choice, name, strict } from './vocabulary.ts'

/** What a test with an account has shown to work. */
export const connectedParts = ['authentication', 'baseUrl', 'healthCheck', 'objects'] as const

export const Connected = Type.Object(
  {
    date: Type.String({
      pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
      description: 'Day of the test, such as `2026-11-26`.',
    }),
    file: Type.String({
      pattern: '^[0-9a-f]{12}$',
      description: 'First 12 digits of the SHA-256 of the tested file.',
    }),
    parts: Type.Array(choice(connectedParts, 'A part of the file.'), {
      minItems: 1,
      description: 'What worked. Everything else was not tested.',
    }),
    objects: Type.Optional(
      Type.Array(name('Name of an object.'), { minItems: 1, description: 'Objects of the file that were read.' }),
    ),
  },
  {
    ...strict,
    description: 'Last test with an account. `mortise provider test --record` writes it. It replaces `confidence`.',
  },
)
export type Connected = Static<typeof Connected>

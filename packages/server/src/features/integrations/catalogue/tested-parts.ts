import { Type } from 'typebox'

/** When an entry was compared with documentation or tested with an account, and what of it. */
export const testedParts = {
  documented: Type.Optional(
    Type.Object(
      {
        date: Type.String({ description: 'Day of the comparison, such as `2026-11-26`.' }),
        parts: Type.Array(Type.String(), { description: 'What was compared, such as `paging` and `limits`.' }),
        absent: Type.Optional(
          Type.Array(Type.String(), {
            description: 'What the provider’s API does not have, such as `deletions` and `webhooks`.',
          }),
        ),
        undocumented: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'What no public documentation was found for, such as `limits`. The file may be wrong about it.',
          }),
        ),
      },
      {
        description:
          'Extension: when the entry was last compared with the provider’s public documentation, and what of it.',
      },
    ),
  ),
  connected: Type.Optional(
    Type.Object(
      {
        date: Type.String({ description: 'Day of the test, such as `2026-11-26`.' }),
        file: Type.String({ description: 'Version of the entry that was tested.' }),
        parts: Type.Array(Type.String(), { description: 'What worked, such as `authentication` and `baseUrl`.' }),
        objects: Type.Optional(Type.Array(Type.String(), { description: 'Objects that were read.' })),
      },
      { description: 'Extension: when somebody last tested the entry with an account, and what of it worked.' },
    ),
  ),
}

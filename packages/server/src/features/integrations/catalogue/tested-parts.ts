import { Type } from 'typebox'
import { Enum } from '../../../kernel/http/index.ts'

/** Where objects are, and what an entry is based on: tests with an account, and comparisons with documentation. */
export const testedParts = {
  seeAlso: Type.Optional(
    Type.Object(
      {
        provider: Type.String({ description: 'Name of the provider.' }),
        module: Type.Optional(Type.String({ description: 'Module that has the objects.' })),
      },
      { description: 'Extension: another provider that describes objects of this API. This one has none.' },
    ),
  ),
  evidence: Type.Object(
    {
      kind: Enum(['account', 'documentation', 'twoSources', 'oneSource', 'none'], {
        description:
          '`account`: tested with an account. `documentation`: compared with documentation. `twoSources`, `oneSource`: so many sources say how to connect. `none`: no test or comparison is recorded.',
      }),
      date: Type.Optional(Type.String({ description: 'Day of the test or the comparison.' })),
      summary: Type.String({ description: 'The same in words.' }),
    },
    {
      description:
        'Extension: what the entry is based on. The best of `connected`, `documented` and `confidence`, in this order.',
    },
  ),
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

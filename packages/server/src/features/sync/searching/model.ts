import { type Static, Type } from 'typebox'
import { Enum, FreeForm, named } from '../../../kernel/http/index.ts'

const anything = (description: string) => Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description })

export const SearchRequest = named(
  'SearchRequest',
  Type.Object({
    objectName: Type.String({ minLength: 1, description: 'The object, by the provider’s name or the mapped one.' }),
    fieldFilters: Type.Array(
      Type.Object({
        fieldName: Type.String({
          minLength: 1,
          maxLength: 512,
          description: 'The field, by the provider’s name or the mapped one.',
        }),
        operator: Enum(['eq'], { description: 'Only equality.' }),
        value: Type.Unsafe<string | number | boolean>({
          type: ['string', 'number', 'boolean'],
          description: 'The value of the field. For a mapped value, the delivered value.',
        }),
      }),
      { minItems: 1, maxItems: 100, description: 'Conditions; a record fits all of them.' },
    ),
  }),
)
export type SearchRequest = Static<typeof SearchRequest>

const FoundRecord = named(
  'FoundRecord',
  Type.Object({
    id: Type.Optional(Type.String({ description: 'The record’s id at the provider.' })),
    fields: anything('What of the record is read, by the provider’s names in lower case.'),
    mappedFields: anything('What of the record is mapped, by your names.'),
    raw: anything('The record as the provider answered it.'),
    associations: Type.Optional(anything('Linked records, by the field that reads them: lists of `{id}`.')),
  }),
)

const found = (description: string) => Type.Array(FoundRecord, { description })

export const SearchResponse = named(
  'SearchResponse',
  Type.Object({
    results: found('The first page of the records that fit.'),
    result: found('The same.'),
  }),
)

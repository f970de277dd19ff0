import { type Static, Type } from 'typebox'
import { Enum, named } from '../../../kernel/http/index.ts'

/** What a search finds, in the order of results that match equally well. */
export const resultKinds = [
  'group',
  'consumer',
  'integration',
  'destination',
  'topic',
  'providerApp',
  'apiKey',
  'installation',
  'connection',
  'operation',
  'message',
  'revision',
] as const
export type ResultKind = (typeof resultKinds)[number]

export const resultsMax = 20

const text = (description: string) => Type.String({ description })

export const SearchResult = named(
  'SearchResult',
  Type.Object(
    {
      kind: Enum([...resultKinds], { description: 'What it is.' }),
      id: text('Its id; the ref of a group or a consumer.'),
      name: text('A name for people: that of the resource, or of what it belongs to.'),
      integrationId: Type.Optional(text('Id of the integration that it belongs to.')),
      installationId: Type.Optional(text('Id of the installation that it belongs to.')),
      groupRef: Type.Optional(text('Your id of the group that it belongs to.')),
      destinationId: Type.Optional(text('Id of the destination of a message.')),
      provider: Type.Optional(text('Name of the provider.')),
    },
    { description: 'A resource that a search found, with what it belongs to.' },
  ),
)
export type SearchResult = Static<typeof SearchResult>

export const SearchResults = named(
  'SearchResults',
  Type.Object(
    {
      results: Type.Array(SearchResult, {
        description: `At most ${resultsMax}, the best first: an exact id or name, the beginning of a name, a part of it.`,
      }),
    },
    { description: 'What a search found.' },
  ),
)

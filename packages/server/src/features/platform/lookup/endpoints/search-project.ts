import { Type } from 'typebox'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { resultsMax, SearchResults } from '../model.ts'
import { search } from '../search.ts'

export const searchProject = endpoint({
  id: 'searchProject',
  method: 'GET',
  path: '/projects/{projectIdOrName}/search',
  access: 'view',
  summary: 'Find resources of a project by id or name.',
  description: `Finds any resource by its id. Finds groups, consumers, integrations, destinations, topics, provider apps and API keys by a part of their names or refs, in any case. Returns at most ${resultsMax} results, the best first.`,
  tag: 'Projects',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    query: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'An id, or a part of a name. No character has a special meaning.',
    }),
  }),
  reply: { 200: SearchResults },
  run: async ({ db, query }) => reply(200, { results: await search(db, query.query.trim()) }),
})

import type { Catalogue } from '@mortise/providers'
import { Empty, endpoint, Path, Ref } from '../../../../kernel/http/index.ts'
import { answerOf } from '../answer.ts'
import { brokenFile, hasBrokenFile } from '../faults.ts'
import { ProviderInfo } from '../model.ts'
import { ProviderNotFound } from '../problems.ts'
import { writtenCatalogue } from '../written-catalogue.ts'

export const getProvider = endpoint({
  id: 'getProvider',
  method: 'GET',
  path: '/providers/{provider}',
  access: 'public',
  summary: 'Get a provider: how accounts authenticate, what it can do, and what this release supports.',
  tag: 'Provider catalog',
  params: Path({ provider: Ref }),
  reply: { 200: ProviderInfo, 304: Empty },
  produces: 'application/json',
  problems: [ProviderNotFound],
  run: async ({ params, headers }, { catalogue }: { catalogue: Catalogue }) => {
    const written = writtenCatalogue(catalogue).byName.get(params.provider)
    if (written) return answerOf(written, headers)
    if (hasBrokenFile(catalogue, params.provider)) {
      throw new ProviderNotFound({ detail: brokenFile.detail(params.provider), remedy: brokenFile.remedy })
    }
    const meant = catalogue.suggest(params.provider)
    throw new ProviderNotFound(meant === undefined ? {} : { remedy: `Did you mean ${JSON.stringify(meant)}?` })
  },
})

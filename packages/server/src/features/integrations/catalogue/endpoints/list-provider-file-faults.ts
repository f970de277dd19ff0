import { basename } from 'node:path'
import type { Catalogue } from '@mortise/providers'
import { endpoint, Path, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { providerOfFault } from '../faults.ts'
import { ProviderFileFaults } from '../model.ts'

export const listProviderFileFaults = endpoint({
  id: 'listProviderFileFaults',
  method: 'GET',
  path: '/projects/{projectIdOrName}/provider-file-faults',
  access: 'view',
  extension: true,
  summary: 'Errors of the provider files in the directories of MORTISE_PROVIDERS_DIR.',
  description:
    'The node that answers reports what it found in its own folders when they last changed. While a file has errors, its last good version stays in use; after a restart, the built-in file of its name, or nothing. A corrected file is used within seconds, without a restart.',
  tag: 'Provider catalog',
  params: Path({ ...ProjectPath.properties }),
  reply: { 200: ProviderFileFaults },
  run: async (_, { catalogue }: { catalogue: Catalogue }) => {
    const results = catalogue.faults.map((fault) => {
      const { file, line, column, path, message } = fault
      const provider = providerOfFault(fault)
      const inUse: 'user' | 'builtIn' | 'none' = catalogue.find(provider)?.origin ?? 'none'
      return { file: basename(file), provider, line, column, path, message, inUse }
    })
    return reply(200, { results })
  },
})

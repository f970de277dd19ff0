import type { Output } from '@mortise/client'
import { all, needed, resource } from './resource.ts'

type Tool = Output<'listTools'>[number]

export const tools = resource<Tool>({
  name: 'tools',
  one: 'tool',
  columns: [
    ['Name', ({ name }) => name],
    ['Integration', ({ integrationName }) => integrationName],
    ['Object', ({ objectName }) => objectName],
    ['Changes records', ({ readOnly }) => (readOnly ? '' : 'yes')],
    ['Needs approval', ({ needsApproval }) => (needsApproval ? 'yes' : '')],
  ],
  list: {
    needs: ['group'],
    async *rows(call) {
      const query = { groupRef: needed(call, 'group') }
      yield* all(call.mortise.listTools({ query }, { signal: call.signal }))
    },
  },
})

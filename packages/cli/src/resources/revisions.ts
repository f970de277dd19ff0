import type { Item } from '@mortise/client'
import { needed, resource, timeText } from './resource.ts'

export const revisions = resource<Item<'listRevisions'>>({
  name: 'revisions',
  one: 'revision',
  columns: [
    ['Id', ({ id }) => id],
    ['Spec version', ({ specVersion }) => specVersion],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    needs: ['integration'],
    rows: (call) =>
      call.mortise.each('listRevisions', { integrationId: needed(call, 'integration') }, { signal: call.signal }),
  },
})

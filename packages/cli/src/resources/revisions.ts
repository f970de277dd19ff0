import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

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
    rows: ({ mortise, signal, options }) =>
      mortise.each('listRevisions', { integrationId: options.integration! }, { signal }),
  },
})

import type { Input, Item } from '@mortise/client'
import { defined, resource, timeText } from './resource.ts'

type Query = NonNullable<Input<'listApprovals'>['query']>

export const approvals = resource<Item<'listApprovals'>>({
  name: 'approvals',
  one: 'approval',
  columns: [
    ['Id', ({ id }) => id],
    ['Status', ({ status }) => status],
    ['Tool', ({ toolName }) => toolName],
    ['Group', ({ groupRef }) => groupRef],
    ['Agent', ({ agent }) => agent],
    ['Requested', ({ createTime }) => timeText(createTime)],
    ['Expires', ({ expireTime }) => timeText(expireTime)],
  ],
  list: {
    takes: ['group', 'status'],
    rows: ({ mortise, signal, options: { group, status } }) => {
      // The service reports a value that is none of these.
      const query = defined({ groupRef: group, status: status as Query['status'] })
      return mortise.each('listApprovals', { query }, { signal })
    },
  },
  get: { read: ({ mortise, signal }, approvalId) => mortise.getApproval({ approvalId }, { signal }) },
})

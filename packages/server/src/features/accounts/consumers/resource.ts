import { type Static, Type } from 'typebox'
import { named, Timestamp } from '../../../kernel/http/index.ts'
import type { ConsumerRow, GroupRow } from './store.ts'

export const Group = named(
  'Group',
  Type.Object({
    groupRef: Type.String({ description: 'Your id of the group, such as a company.' }),
    groupName: Type.String({ description: 'Name of the group; its ref unless one was given.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export const Consumer = named(
  'Consumer',
  Type.Object({
    consumerRef: Type.String({ description: 'Your id of the person who connected the account.' }),
    consumerName: Type.String({ description: 'Name of the person; the ref unless one was given.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export function groupResource(row: GroupRow): Static<typeof Group> {
  return {
    groupRef: row.group_ref,
    groupName: row.group_name,
    projectId: row.project_id,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

export function consumerResource(row: ConsumerRow): Static<typeof Consumer> {
  return {
    consumerRef: row.consumer_ref,
    consumerName: row.consumer_name,
    projectId: row.project_id,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

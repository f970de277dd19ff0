import type { Static } from 'typebox'
import type { Consumer, Group } from '../connections/index.ts'
import type { ConsumerRow, GroupRow } from './store.ts'

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

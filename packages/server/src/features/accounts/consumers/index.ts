import { getConsumer } from './endpoints/get-consumer.ts'
import { getGroup } from './endpoints/get-group.ts'
import { listConsumers } from './endpoints/list-consumers.ts'
import { listGroups } from './endpoints/list-groups.ts'

export { ConsumerNotFound, GroupNotFound } from './problems.ts'
export { Consumer, Group } from './resource.ts'
export {
  consumerUpsert,
  deleteOwner,
  findConsumer,
  findGroup,
  groupUpsert,
  lockOwner,
  type Owner,
  upsertConsumer,
  upsertGroup,
} from './store.ts'

export const consumersEndpoints = [listGroups, getGroup, listConsumers, getConsumer]

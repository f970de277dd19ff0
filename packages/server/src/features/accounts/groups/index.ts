import { finishErasure } from './jobs/finish-erasure.ts'
import { deleteConsumer } from './operations/delete-consumer.ts'
import { deleteGroup } from './operations/delete-group.ts'
import { getConsumer } from './operations/get-consumer.ts'
import { getGroup } from './operations/get-group.ts'
import { listConsumers } from './operations/list-consumers.ts'
import { listGroups } from './operations/list-groups.ts'

export { groupsTicks } from './sweep.ts'

export const groupsOperations = [listGroups, getGroup, deleteGroup, listConsumers, getConsumer, deleteConsumer]
export const groupsJobs = [finishErasure]

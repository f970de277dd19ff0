import { deleteConsumer } from './endpoints/delete-consumer.ts'
import { deleteGroup } from './endpoints/delete-group.ts'
import { getConsumer } from './endpoints/get-consumer.ts'
import { getGroup } from './endpoints/get-group.ts'
import { listConsumers } from './endpoints/list-consumers.ts'
import { listGroups } from './endpoints/list-groups.ts'
import { finishErasure } from './jobs/finish-erasure.ts'

export { groupsTicks } from './sweep.ts'

export const groupsEndpoints = [listGroups, getGroup, deleteGroup, listConsumers, getConsumer, deleteConsumer]
export const groupsJobs = [finishErasure]

import { casesOf } from '../../../../testkit/cases.ts'
import { listConsumers } from './list-consumers.ts'

export const cases = casesOf(listConsumers, { status: 200 })

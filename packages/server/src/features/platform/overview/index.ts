import { getOverview } from './endpoints/get-overview.ts'

export const overviewEndpoints = [getOverview]

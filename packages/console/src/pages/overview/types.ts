import type { Output } from '@mortise/client'

export type Overview = Output<'getOverview'>

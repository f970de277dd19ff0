import { searchProject } from './endpoints/search-project.ts'

export const lookupEndpoints = [searchProject]

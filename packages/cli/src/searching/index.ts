export { filtersOf } from './filters-of.ts'
export { recordsText } from './records-text.ts'

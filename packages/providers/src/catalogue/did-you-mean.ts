import { nearestName } from './nearest-name.ts'

/** Shorter beginnings say too little. */
const beginningMin = 4

/** Says which name was probably meant, as the end of a sentence; nothing where none is near. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearestName(name, names) ?? continued(name, names)
  return near === undefined || near === name ? '' : `; did you mean "${near}"?`
}

/** The one name that continues the text: `pageSize` for `pageSizeMax`. */
function continued(name: string, names: readonly string[]): string | undefined {
  if (name.length < beginningMin) return undefined
  const found = names.filter((one) => one.toLowerCase().startsWith(name.toLowerCase()))
  return found.length === 1 ? found[0] : undefined
}

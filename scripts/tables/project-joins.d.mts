/** Joins across projects in each statement of a text. */
export function projectJoins(
  text: string,
  isOfProject: (table: string) => boolean,
): { faults: string[]; parameters: number[] }[]

/** What a page of the provider holds. */
export const recordsPerPage = 100
export const recordBytes = 280

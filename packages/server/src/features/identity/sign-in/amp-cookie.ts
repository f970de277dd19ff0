/** The cookie under which the existing command line keeps its session; it sends it with every look at `/v1/client`. */
export const ampCookie = '__client'

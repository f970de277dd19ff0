/** Name of the loop that continues resends. Apart from it, so that endpoints can wake it. */
export const resendsLoop = 'reading.resend'

declare module 'cluster-key-slot' {
  /** The cluster slot of a key: CRC16 of its hash tag, or of the whole key. */
  export default function calculateSlot(key: string | Uint8Array): number;
}

"""Names and versions of the files that are written; loads nothing."""

#: The store's `user_version`; a store of a higher one is refused.
STORE_FORMAT = 1
#: The store's `application_id`: "Winn".
STORE_APPLICATION_ID = 0x57696E6E

#: The pool's `format`, and the `format_version` that is written; readers know those before it.
POOL_FORMAT = "winnable-pool"
POOL_FORMAT_VERSION = 2

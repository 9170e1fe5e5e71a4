/* rpc_error.h - error codes: JSON-RPC's own and, from -32000 on, those of the control socket. */
#ifndef PTYD_CORE_RPC_ERROR_H
#define PTYD_CORE_RPC_ERROR_H

enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_FAILED = -32000,
    RPC_NO_SESSION = -32001,
    RPC_BUSY = -32002,      /* there is no room now; the same request may succeed later */
    RPC_NOT_TYPED = -32003, /* not all of it was typed: data.typed says how many bytes were */
};

#endif
